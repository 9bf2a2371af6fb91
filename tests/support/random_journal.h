/* Random journal heads and restart points, often with extreme values, and their comparison. */
#ifndef VERSO_TESTS_RANDOM_JOURNAL_H
#define VERSO_TESTS_RANDOM_JOURNAL_H

#include "drive/journal.h"
#include "tests/support/random_spec.h"

verso__journal_head random_head(random_source *source);
/* Returns a valid restart point, which owns its cursor (at most `most_bytes` random bytes, not a schedule's) and its
 * list. The caller frees it. */
verso__commit random_commit(random_source *source, uint64_t number, size_t most_bytes);
void random_commit_free(verso__commit *commit);

bool same_head(const verso__journal_head *a, const verso__journal_head *b);
bool same_commit(const verso__commit *a, const verso__commit *b);

#endif
