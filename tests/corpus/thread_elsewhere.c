// expect: true --property unreach-call
// What is not modelled matters to runs that come to it only.
#include <pthread.h>
extern void reach_error(void);

static void *work(void *argument) { return argument; }

int main(int argc, char **argv) {
    int count = argc;
    if (argc < 0) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
    }
    if (count != argc)
        reach_error();
    return 0;
}
