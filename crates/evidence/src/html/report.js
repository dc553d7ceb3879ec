"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.classList.add("has-js");

  // Light and dark.
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // The drawing: made when it is first asked for.
  const view = $("view"), choice = $("choice");
  let shown = null, scale = 1, x = 0, y = 0;
  const place = () => {
    const svg = view && view.querySelector("svg");
    if (svg) svg.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
  };
  const fit = () => {
    const svg = view.querySelector("svg");
    if (!svg) return;
    const w = +svg.getAttribute("width"), h = +svg.getAttribute("height");
    const box = view.getBoundingClientRect();
    scale = Math.min(1.2, box.width / w, Math.max(0.35, box.height / h));
    x = Math.max(0, (box.width - w * scale) / 2);
    y = 0;
    place();
  };
  const zoom = (factor, cx, cy) => {
    const next = Math.min(8, Math.max(0.02, scale * factor));
    x = cx - (cx - x) * next / scale;
    y = cy - (cy - y) * next / scale;
    scale = next;
    place();
  };
  const draw = (key) => {
    if (!view || shown === key) return;
    const source = $("graph-" + key);
    if (!source) return;
    view.innerHTML = source.textContent;
    shown = key;
    choice.value = key;
    const path = source.dataset.path;
    for (const e of path ? path.split(",") : []) {
      const edge = view.querySelector("#E" + e);
      if (edge) edge.classList.add("path");
    }
    fit();
  };
  if (view) {
    const start = () => draw(choice.value);
    choice.addEventListener("change", start);
    if (location.hash === "#graphs") start();
    else if ("IntersectionObserver" in window) {
      const watcher = new IntersectionObserver((list) => {
        if (list.some((e) => e.isIntersecting)) { watcher.disconnect(); if (shown === null) start(); }
      });
      watcher.observe(view);
    } else start();
    view.addEventListener("wheel", (e) => {
      e.preventDefault();
      const box = view.getBoundingClientRect();
      zoom(Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
    }, { passive: false });
    let drag = null;
    view.addEventListener("pointerdown", (e) => {
      drag = [e.clientX - x, e.clientY - y];
      view.setPointerCapture(e.pointerId);
    });
    view.addEventListener("pointermove", (e) => {
      if (drag) { x = e.clientX - drag[0]; y = e.clientY - drag[1]; place(); }
    });
    view.addEventListener("pointerup", () => { drag = null; });
    const middle = (f) => zoom(f, view.clientWidth / 2, view.clientHeight / 2);
    $("larger").addEventListener("click", () => middle(1.3));
    $("smaller").addEventListener("click", () => middle(1 / 1.3));
    $("fit").addEventListener("click", fit);
    view.addEventListener("keydown", (e) => {
      if (e.key === "+") middle(1.3);
      else if (e.key === "-") middle(1 / 1.3);
      else if (e.key === "0") fit();
    });
  }

  // The walk through the trace.
  const steps = Array.from(document.querySelectorAll("#steps > li"));
  let at = -1, marked = [];
  const state = () => {
    // Values by open call, then by name, as they are after step `at`.
    const frames = new Map();
    let fresh = new Set();
    for (let i = 0; i <= at; i++) {
      const depth = +steps[i].dataset.d;
      for (const key of Array.from(frames.keys())) if (key > depth) frames.delete(key);
      fresh = new Set();
      for (const c of steps[i].querySelectorAll(".chg")) {
        const d = c.dataset.d === "" ? -1 : +c.dataset.d;
        if (!frames.has(d)) frames.set(d, new Map());
        frames.get(d).set(c.dataset.n, c.dataset.v);
        fresh.add(d + " " + c.dataset.n);
      }
    }
    return [frames, fresh];
  };
  // Scrolls the panes only, not the page.
  const into = (e) => {
    const pane = e && e.closest(".scroll");
    if (!pane) return;
    const a = e.getBoundingClientRect(), b = pane.getBoundingClientRect();
    if (a.top < b.top + 20 || a.bottom > b.bottom - 20)
      pane.scrollTop += a.top - b.top - b.height / 2;
  };
  const show = (i, scroll) => {
    if (!steps.length) return;
    i = Math.max(0, Math.min(steps.length - 1, i));
    for (const e of marked) e.classList.remove("now");
    marked = [];
    at = i;
    const step = steps[i];
    const mark = (e) => { if (e) { e.classList.add("now"); marked.push(e); } };
    mark(step);
    const line = $(step.dataset.l);
    mark(line);
    if (scroll !== false) { into(line); into(line); into(step); into(step); }
    $("at").textContent = `step ${i + 1} of ${steps.length}`;
    const [frames, fresh] = state();
    const body = $("values") || document.createElement("tbody");
    body.textContent = "";
    for (const d of Array.from(frames.keys()).sort((a, b) => b - a)) {
      const names = frames.get(d);
      for (const name of Array.from(names.keys()).sort()) {
        const row = body.insertRow();
        if (fresh.has(d + " " + name)) row.className = "new";
        row.insertCell().textContent = name;
        row.insertCell().textContent = names.get(name);
        row.insertCell().textContent = d < 0 ? "global or memory" : d === +step.dataset.d ? "" : "call " + d;
      }
    }
    // No heading without content.
    if ($("state")) $("state").hidden = !body.rows.length;
    const heap = $("heap");
    if (heap) {
      $("memory").hidden = !$("heap-" + step.dataset.h);
      const source = $("heap-" + step.dataset.h);
      if (heap.dataset.shown !== step.dataset.h) heap.innerHTML = source ? source.textContent : "";
      heap.dataset.shown = step.dataset.h || "";
    }
    if (step.dataset.g && $("follow") && $("follow").checked && view) {
      if (shown !== null || location.hash.startsWith("#step=")) {
        draw(step.dataset.g);
        for (const e of step.dataset.e ? step.dataset.e.split(",") : [])
          mark(view.querySelector("#E" + e));
      }
    }
    history.replaceState(null, "", "#step=" + (i + 1));
  };
  if (steps.length) {
    $("steps").addEventListener("click", (e) => {
      const li = e.target.closest("li");
      if (li) { e.preventDefault(); show(steps.indexOf(li), false); const l = $(li.dataset.l); if (l) l.scrollIntoView({ block: "nearest" }); }
    });
    $("first").addEventListener("click", () => show(0));
    $("previous").addEventListener("click", () => show(at - 1));
    $("next").addEventListener("click", () => show(at + 1));
    $("last").addEventListener("click", () => show(steps.length - 1));
    document.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
      const key = e.key;
      if (key === "ArrowRight" || key === "j" || key === "n") show(at + 1);
      else if (key === "ArrowLeft" || key === "k" || key === "p") show(at - 1);
      else if (key === "Home") show(0);
      else if (key === "End") show(steps.length - 1);
      else return;
      e.preventDefault();
    });
    const walk = () => {
      const m = /^#step=(\d+|last)$/.exec(location.hash);
      if (m) show(m[1] === "last" ? steps.length - 1 : +m[1] - 1);
    };
    window.addEventListener("hashchange", walk);
    walk();
    // Without a wish it opens where the program goes wrong.
    if (!location.hash) show(steps.length - 1);
  }
})();
