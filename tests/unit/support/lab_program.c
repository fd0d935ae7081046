// A program that needs a library of the tests; it is never run.
#ifndef LARES_LAB_ALONE
int lab_part(void);
int main(void) { return lab_part(); }
#else
int main(void) { return 0; }
#endif
