// How init gives up.
#ifndef LARES_LAB_INIT_FAIL_H
#define LARES_LAB_INIT_FAIL_H

/// Writes a sentence to the kernel's log, which the host reads, and ends the guest. `what` and
/// `which` name what could not be done; errno says why.
_Noreturn void fail(const char* what, const char* which);

/// Ends the guest.
_Noreturn void end_guest(void);

#endif
