/* Nanoseconds per call: the minimum over rounds of at least 2 ms, for `budget` seconds.
   The states cycle through SAMPLES random ones, which stay in the cache. */
#pragma once
#include <stdio.h>
#include <time.h>
#define SAMPLES 64

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define MEASURE(budget, call)                                    \
  do {                                                           \
    long count = 1;                                              \
    double took = 0, total = 0, best = 1e9;                      \
    for (;; count *= 2) {                                        \
      const double start = seconds();                            \
      for (long i = 0; i < count; i++) call(i % SAMPLES);        \
      took = seconds() - start;                                  \
      if (took > 2e-3) break;                                    \
    }                                                            \
    while (total < (budget)) {                                   \
      const double start = seconds();                            \
      for (long i = 0; i < count; i++) call(i % SAMPLES);        \
      took = seconds() - start;                                  \
      total += took;                                             \
      if (took / (double)count < best) best = took / (double)count; \
    }                                                            \
    printf("%.3f\n", 1e9 * best);                                \
  } while (0)
