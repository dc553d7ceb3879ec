// A lock is taken and given back in turn.
global int locked = 0;
event { pattern { lock(); } guard { locked == 0 } action { locked = 1; } }
event { pattern { unlock(); } guard { locked == 1 } action { locked = 0; } }
