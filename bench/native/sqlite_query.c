/* A query of SQLite, which compile_sqlite differentiates: numbers are parameters of a prepared statement, which
 * computes with them and aggregates them. They are in no table: SQLite stores numbers there in the bytes of records, at
 * any address, where Verso refuses to follow them. */
#include <math.h>
#include <sqlite3.h>
#include <stddef.h>

static const char query[] =
    "select sum(a * b * (a + 1)) + max(a) * min(b) + total(a / (1 + b * b)) + ?1 * ?2 - max(?3, ?4) * abs(?1 - ?4) "
    "from (select ?1 as a, ?2 as b union all select ?3, ?4 union all select ?2 * ?3, ?1) where a + b > 0.5";

double f(const double *x, size_t n) {
    sqlite3 *base = NULL;
    sqlite3_stmt *select = NULL;
    double result = NAN;
    if (sqlite3_open(":memory:", &base) == SQLITE_OK &&
        sqlite3_prepare_v2(base, query, -1, &select, NULL) == SQLITE_OK) {
        for (size_t i = 0; i < n; i++)
            sqlite3_bind_double(select, (int)i + 1, x[i]);
        if (sqlite3_step(select) == SQLITE_ROW)
            result = sqlite3_column_double(select, 0);
    }
    sqlite3_finalize(select);
    sqlite3_close(base);
    return result;
}
