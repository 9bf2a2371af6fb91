#include "cli/derive.h"
const cli_command cli_check = {.name = "check"};
