// Stands in for the preloaded library: it has the symbol that lares_active() looks for.
__attribute__((visibility("default"))) int lares_runtime_active(void);

int lares_runtime_active(void) { return 1; }
