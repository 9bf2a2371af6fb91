/* The trees that the passes work on: types, variables, expressions, statements, functions.
 *
 * One struct serves for the statements of two languages: the reversible language that the user writes (up to
 * REV_S_LAST_REVERSIBLE), and the small irreversible language that it is lowered to. The tangent pass
 * differentiates the latter once more, and the printer prints it as C. After the analyses no pass changes a tree:
 * each makes a new one. All memory belongs to the unit. */
#ifndef REV_TREE_H
#define REV_TREE_H

#include "rev/tree_make.h"
#include "rev/tree_statements.h"
#include "rev/tree_types.h"

#endif
