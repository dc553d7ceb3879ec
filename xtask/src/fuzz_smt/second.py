# Reads scripts that end in a line `@@go`; writes the answers, then `@@done`.
import sys
import cvc5
print(cvc5.__version__, flush=True)

def run(text):
    solver = cvc5.Solver()
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", "2000")
    # Constant arrays.
    solver.setOption("arrays-exp", "true")
    # Floats of any format.
    solver.setOption("fp-exp", "true")
    solver.setLogic("ALL")
    symbols = cvc5.SymbolManager(solver)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return
        answer = command.invoke(solver, symbols).strip()
        if answer:
            print(answer)

lines = []
for line in sys.stdin:
    if line.strip() != "@@go":
        lines.append(line)
        continue
    try:
        run("".join(lines))
    except Exception as error:
        print("(error", str(error).replace("\n", " "), ")")
    lines = []
    print("@@done", flush=True)
