int __CPROVER_file_local_harness_removed_body_c_inner(int x) { return x + 9; }
int outer(int x) { return x + 19; }
