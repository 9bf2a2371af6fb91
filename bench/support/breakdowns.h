/* Section 5 of paper 5: compares the approaches to resilience without and with one breakdown, at many places, on the
 * nine configurations of table 1. A part of bench/paper5. */
#ifndef VERSO_BENCH_BREAKDOWNS_H
#define VERSO_BENCH_BREAKDOWNS_H

/* Prints the comparison and writes paper5-section5.csv, paper5-section5-places.csv and paper5-breakdowns-SLOTS.svg. */
void bench_breakdowns(const char *folder);

#endif
