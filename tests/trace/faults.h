/* What faults.c runs by name, of its other files. */
#ifndef LARES_TESTS_TRACE_FAULTS_H
#define LARES_TESTS_TRACE_FAULTS_H

/* Computes for so long, whatever else the machine does meanwhile. */
void work(double microseconds);

void data_in_one_domain(int mended);
void false_homes(int mended);
void saturated(int mended);

#endif
