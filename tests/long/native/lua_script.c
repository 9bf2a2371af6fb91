/* at: 0.7,1.1,0.25,1.9
 * cuts: 12
 * noise: 1e-11
 * Through the Lua interpreter: a script that is compiled, run with numbers that are handed to it, and returns one. It
 * has closures, tables that grow, metatables, coroutines, pcall with an error, string building, sorting, garbage. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>

static const char script[] =
    "local Vector = {}\n"
    "Vector.__index = Vector\n"
    "Vector.__add = function(a, b) local c = setmetatable({}, Vector) for i = 1, #a do c[i] = a[i] + b[i] end return c "
    "end\n"
    "Vector.__mul = function(a, s) local c = setmetatable({}, Vector) for i = 1, #a do c[i] = a[i] * s end return c "
    "end\n"
    "function Vector:dot(o) local s = 0 for i = 1, #self do s = s + self[i] * o[i] end return s end\n"
    "local function counter(step) local total = 0 return function(u) total = total + step * u return total end end\n"
    "local function rhs(u, p) return setmetatable({u[2], p * (1 - u[1] ^ 2) * u[2] - u[1]}, Vector) end\n"
    "function run(a, b, c, d)\n"
    "  local u = setmetatable({a, b}, Vector)\n"
    "  local sum = counter(0.1)\n"
    "  for i = 1, 25 do\n"
    "    local k1 = rhs(u, c)\n"
    "    local k2 = rhs(u + k1 * 0.05, c)\n"
    "    u = u + k2 * 0.1\n"
    "    sum(math.sin(u:dot(u)))\n"
    "  end\n"
    "  local values, text = {}, ''\n"
    "  for i = 1, 12 do values[#values + 1] = math.cos(i * d) + a; text = text .. i end\n"
    "  table.sort(values, function(p, q) return p < q end)\n"
    "  local ok, problem = pcall(function(v) if v > 0 then error({value = v * b}) end return v end, d)\n"
    "  local walk = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(values[i] * i) end end)\n"
    "  local rest = (ok and 0 or problem.value) + walk() * walk() + #text\n"
    "  return sum(0) + u:dot(u) * values[5] + rest + math.exp(-c) * math.max(a, b) + c ^ d + d // 0.3\n"
    "end\n";

double f(const double *x, size_t n) {
    double result = NAN;
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    if (luaL_dostring(state, script) == LUA_OK) {
        lua_getglobal(state, "run");
        for (size_t i = 0; i < n; i++)
            lua_pushnumber(state, x[i]);
        if (lua_pcall(state, (int)n, 1, 0) == LUA_OK)
            result = lua_tonumber(state, -1);
    }
    lua_close(state);
    return result;
}
