/* at: 0.4,10,3,1.0,0.5
 * cuts: 12
 * noise: 1e-7
 * Through SUNDIALS' CVODE: stiff chemistry with variable order and step, Newton's method and a dense solver; and an
 * oscillator by Adams' method and a fixed-point iteration. The Jacobian is written out: differences with steps of
 * 1e-20, which CVODE takes where a component is zero, would add and subtract adjoints that leave nothing of the rest.
 */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

static int chemistry(realtype t, N_Vector u, N_Vector du, void *context) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    double *dy = N_VGetArrayPointer(du);
    (void)t;
    dy[0] = -p[0] * y[0] + p[1] * y[1] * y[2];
    dy[2] = p[2] * 100 * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
    return 0;
}

static int chemistry_jacobian(realtype t, N_Vector u, N_Vector du, SUNMatrix jacobian, void *context, N_Vector first,
                              N_Vector second, N_Vector third) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    (void)t, (void)du, (void)first, (void)second, (void)third;
    double *column[3];
    for (int j = 0; j < 3; j++)
        column[j] = SUNDenseMatrix_Column(jacobian, j);
    column[0][0] = -p[0];
    column[1][0] = p[1] * y[2];
    column[2][0] = p[1] * y[1];
    column[0][2] = column[2][2] = 0;
    column[1][2] = 200 * p[2] * y[1];
    for (int j = 0; j < 3; j++)
        column[j][1] = -column[j][0] - column[j][2];
    return 0;
}

static int oscillator(realtype t, N_Vector u, N_Vector du, void *context) {
    const double *p = context, *y = N_VGetArrayPointer(u);
    double *dy = N_VGetArrayPointer(du);
    dy[0] = y[1];
    dy[1] = -p[4] * y[1] - p[3] * sin(y[0]) + 0.1 * cos(t);
    dy[2] = y[0] * y[1];
    return 0;
}

static int set_method(void *solver, int method, SUNLinearSolver linear, SUNMatrix matrix,
                      SUNNonlinearSolver nonlinear) {
    if (method == CV_ADAMS)
        return CVodeSetNonlinearSolver(solver, nonlinear);
    int status = CVodeSetLinearSolver(solver, linear, matrix);
    return status == CV_SUCCESS ? CVodeSetJacFn(solver, chemistry_jacobian) : status;
}

static double solve(int method, CVRhsFn rate, double *parameters, double end) {
    SUNContext context;
    double result = NAN;
    if (SUNContext_Create(NULL, &context) != 0)
        return NAN;
    N_Vector u = N_VNew_Serial(3, context);
    double *y = N_VGetArrayPointer(u);
    y[0] = parameters[3];
    y[1] = method == CV_ADAMS ? parameters[4] : 0;
    y[2] = 0;
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver linear = SUNLinSol_Dense(u, matrix, context);
    SUNNonlinearSolver nonlinear = SUNNonlinSol_FixedPoint(u, 0, context);
    void *solver = CVodeCreate(method, context);
    realtype reached;
    if (CVodeInit(solver, rate, 0, u) == CV_SUCCESS && CVodeSStolerances(solver, 1e-7, 1e-9) == CV_SUCCESS &&
        CVodeSetUserData(solver, parameters) == CV_SUCCESS && CVodeSetMaxNumSteps(solver, 5000) == CV_SUCCESS &&
        set_method(solver, method, linear, matrix, nonlinear) == CV_SUCCESS &&
        CVodeSetStopTime(solver, end) == CV_SUCCESS && CVode(solver, end, u, &reached, CV_NORMAL) >= 0)
        result = y[0] + 2 * y[1] + y[2] * y[2];
    CVodeFree(&solver);
    SUNNonlinSolFree(nonlinear);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(u);
    SUNContext_Free(&context);
    return result;
}

double f(const double *x, size_t n) {
    double parameters[5];
    for (size_t i = 0; i < n; i++)
        parameters[i] = x[i];
    return solve(CV_BDF, chemistry, parameters, 2.0) + solve(CV_ADAMS, oscillator, parameters, 1.5);
}
