/* at: 0.7,1.1,0.25,1.9
 * cuts: 4
 * noise: 1e-11
 * sites: 2
 * Through the QuickJS interpreter: a script that is compiled to bytecode, run with numbers that are handed to it, and
 * returns one. Its values are a union and a tag, which travel in two registers; its numbers are integers as long as
 * they can be. It has classes, closures, arrays that grow, typed arrays, generators, exceptions, strings, JSON.
 */
#include <math.h>
#include <quickjs.h>
#include <stddef.h>

static const char script[] =
    "class Vector {\n"
    "  constructor(a, b) { this.a = a; this.b = b; }\n"
    "  add(o, s) { return new Vector(this.a + s * o.a, this.b + s * o.b); }\n"
    "  dot(o) { return this.a * o.a + this.b * o.b; }\n"
    "}\n"
    "const rhs = (u, p) => new Vector(u.b, p * (1 - u.a ** 2) * u.b - u.a);\n"
    "function counter(step) { let total = 0; return u => total += step * u; }\n"
    "function rosenbrock(v) {\n"
    "  let sum = 0;\n"
    "  for (let i = 0; i + 1 < v.length; i++)\n"
    "    sum += 100 * (v[i + 1] - v[i] * v[i]) * (v[i + 1] - v[i] * v[i]) + (1 - v[i]) * (1 - v[i]);\n"
    "  return sum;\n"
    "}\n"
    "function* powers(x, n) { for (let p = 1, i = 0; i < n; i++) yield p *= x; }\n"
    "function run(a, b, c, d) {\n"
    "  let u = new Vector(a, b), sum = counter(0.1);\n"
    "  for (let i = 0; i < 25; i++) {\n"
    "    u = u.add(rhs(u.add(rhs(u, c), 0.05), c), 0.1);\n"
    "    sum(Math.sin(u.dot(u)));\n"
    "  }\n"
    "  const values = [], floats = new Float64Array(12);\n"
    "  let text = '', rest = 0;\n"
    "  for (let i = 1; i <= 12; i++) {\n"
    "    values.push(Math.cos(i * d) + a);\n"
    "    floats[i - 1] = i * c;\n"
    "    text += i;\n"
    "  }\n"
    "  values.sort((p, q) => p - q);\n"
    "  try { throw {value: d * b}; } catch (problem) { rest = problem.value; }\n"
    "  rest += JSON.parse('[0.125, 3.75e-1, 2]').map(v => v * a).reduce((p, q) => p + q);\n"
    "  for (const v of floats) rest += v * v / 100;\n"
    "  for (const p of powers(b, 5)) rest += p * c;\n"
    "  rest += text.length + parseInt(String(Math.floor(d * 10.3)), 10) * c;\n"
    "  return sum(0) + u.dot(u) * values[4] + rest + Math.exp(-c) * Math.max(a, b) + Math.pow(c, d)\n"
    "       + rosenbrock([a, b, c, d]);\n"
    "}\n";

double f(const double *x, size_t n) {
    double result = NAN;
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);
    JSValue loaded = JS_Eval(context, script, sizeof script - 1, "script.js", JS_EVAL_TYPE_GLOBAL), arguments[4];
    if (!JS_IsException(loaded)) {
        JSValue global = JS_GetGlobalObject(context), run = JS_GetPropertyStr(context, global, "run");
        for (size_t i = 0; i < n; i++)
            arguments[i] = JS_NewFloat64(context, x[i]);
        JSValue returned = JS_Call(context, run, JS_UNDEFINED, (int)n, arguments);
        if (JS_ToFloat64(context, &result, returned) != 0)
            result = NAN;
        JS_FreeValue(context, returned);
        JS_FreeValue(context, run);
        JS_FreeValue(context, global);
    }
    JS_FreeValue(context, loaded);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    return result;
}
