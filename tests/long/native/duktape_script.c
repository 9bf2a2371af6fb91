/* at: 0.7,1.1,0.25,1.9
 * cuts: 4
 * noise: 1e-11
 * sites: 2
 * Through the Duktape interpreter: a script that is compiled, run with numbers that are handed to it, and returns one.
 * Its values are unions with tags, its own conversions make doubles of digits, its numbers have a fast path for small
 * integers. It has closures, prototypes, arrays that grow, typed arrays, exceptions, strings, sorting, JSON, garbage.
 */
#include <duktape.h>
#include <math.h>
#include <stddef.h>

static const char script[] =
    "function Vector(a, b) { this.a = a; this.b = b; }\n"
    "Vector.prototype.add = function (o, s) { return new Vector(this.a + s * o.a, this.b + s * o.b); };\n"
    "Vector.prototype.dot = function (o) { return this.a * o.a + this.b * o.b; };\n"
    "function rhs(u, p) { return new Vector(u.b, p * (1 - Math.pow(u.a, 2)) * u.b - u.a); }\n"
    "function counter(step) { var total = 0; return function (u) { return total += step * u; }; }\n"
    "function rosenbrock(v) {\n"
    "  var sum = 0;\n"
    "  for (var i = 0; i + 1 < v.length; i++)\n"
    "    sum += 100 * (v[i + 1] - v[i] * v[i]) * (v[i + 1] - v[i] * v[i]) + (1 - v[i]) * (1 - v[i]);\n"
    "  return sum;\n"
    "}\n"
    "function run(a, b, c, d) {\n"
    "  var u = new Vector(a, b), sum = counter(0.1), i;\n"
    "  for (i = 0; i < 25; i++) {\n"
    "    u = u.add(rhs(u.add(rhs(u, c), 0.05), c), 0.1);\n"
    "    sum(Math.sin(u.dot(u)));\n"
    "  }\n"
    "  var values = [], floats = new Float64Array(12), text = '';\n"
    "  for (i = 1; i <= 12; i++) {\n"
    "    values.push(Math.cos(i * d) + a);\n"
    "    floats[i - 1] = i * c;\n"
    "    text += i;\n"
    "  }\n"
    "  values.sort(function (p, q) { return p - q; });\n"
    "  var rest = 0;\n"
    "  try {\n"
    "    throw {value: d * b};\n"
    "  } catch (problem) {\n"
    "    rest = problem.value;\n"
    "  }\n"
    "  rest += JSON.parse('[0.125, 3.75e-1, 2]').map(function (v) { return v * a; }).reduce(function (p, q) { return p "
    "+ q; });\n"
    "  for (i = 0; i < floats.length; i++) rest += floats[i] * floats[i] / 100;\n"
    "  rest += text.length + parseInt(String(Math.floor(d * 10.3)), 10) * c;\n"
    "  return sum(0) + u.dot(u) * values[4] + rest + Math.exp(-c) * Math.max(a, b) + Math.pow(c, d) + rosenbrock([a, "
    "b, c, d]);\n"
    "}\n";

double f(const double *x, size_t n) {
    double result = NAN;
    duk_context *context = duk_create_heap_default();
    if (duk_peval_string(context, script) == 0) {
        duk_get_global_string(context, "run");
        for (size_t i = 0; i < n; i++)
            duk_push_number(context, x[i]);
        if (duk_pcall(context, (duk_idx_t)n) == 0)
            result = duk_get_number(context, -1);
    }
    duk_destroy_heap(context);
    return result;
}
