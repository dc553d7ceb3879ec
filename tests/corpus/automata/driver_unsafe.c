// expect: false(automaton) --property io_request.spc
// A driver that is handed requests in a loop and must dispose of each exactly once.
extern int __VERIFIER_nondet_int(void);

void io_new_request(void) {}
void io_skip_stack(void) {}
void io_copy_stack(void) {}
void io_mark_pending(void) {}
void io_set_completion(void) {}
void io_queue(void) {}
void io_wait(void) {}
void io_returned(void) {}
void io_complete(int status) {}
int io_call_driver(void) { return __VERIFIER_nondet_int(); }

enum { SUCCESS = 0, PENDING = 259, BUSY = -1, REMOVED = -2 };
enum { READ, WRITE, PLUG, POWER };

struct device {
  int removed;
  int started;
  int busy;
};

static struct device device;

static int finish(int status) {
  io_complete(status);
  return status;
}

static int transfer(void) {
  if (device.removed) return finish(REMOVED);
  if (!device.started) {
    io_skip_stack();
    return io_call_driver();
  }
  if (device.busy) {
    io_mark_pending();
    io_queue();
    return PENDING;
  }
  device.busy = 1;
  return finish(SUCCESS);
}

static int plug(int minor) {
  int status;
  if (minor == 0) {
    io_copy_stack();
    io_set_completion();
    status = io_call_driver();
    io_wait();
    if (status == SUCCESS) {
      device.started = 1;
      // The defect: on success the request is completed here and again below.
      if (!device.busy) finish(status);
    }
    return finish(status);
  }
  if (minor == 1) {
    device.removed = 1;
    device.started = 0;
    io_skip_stack();
    return io_call_driver();
  }
  io_copy_stack();
  return io_call_driver();
}

static int power(void) {
  io_skip_stack();
  return io_call_driver();
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    int code = __VERIFIER_nondet_int();
    io_new_request();
    switch (code) {
    case READ:
    case WRITE:
      transfer();
      break;
    case PLUG:
      plug(__VERIFIER_nondet_int());
      break;
    case POWER:
      power();
      break;
    default:
      finish(BUSY);
    }
    io_returned();
  }
  return 0;
}
