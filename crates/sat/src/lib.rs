//! CDCL search over literals with theory hooks and proof logging
