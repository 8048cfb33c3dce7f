/* Store bandwidth: store BYTES SECONDS fills that much memory again and again, with
   memset, and prints nanoseconds per pass (the best one). */
#include "clock.h"
#include <stdlib.h>
#include <string.h>

static char* block;
static size_t size;

static void fill(int k) {
  memset(block, k, size);
  __asm__ volatile("" ::: "memory");
}

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "BYTES SECONDS\n"), 2;
  size = strtoull(argv[1], NULL, 10);
  block = malloc(size);
  MEASURE(atof(argv[2]), fill);
}
