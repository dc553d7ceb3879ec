//! Heap logic: reachability along fields, sets of objects, order on data.
