! The module `verso`: derivatives from Fortran. `verso fc` compiles it for programs that say `use verso`, and links it.
! Arguments are those of <verso/native.h>, with defaults. docs/fortran.md explains them.
module verso
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: verso_gradient, verso_vjp, verso_jvp, verso_check, verso_region, verso_number
  public :: verso_options, verso_report, verso_verdict, verso_cost, verso_run, verso_message_size
  public :: verso_frozen
  public :: verso_fixed_point, verso_part, verso_part_of, verso_linear_solve, verso_kept, verso_memory
  public :: verso_apply, verso_solver

  integer, parameter :: verso_message_size = 1024

  ! A function of an array, whose gradient is wanted.
  abstract interface
    function verso_cost(x) result(value)
      real(8), intent(in) :: x(:)
      real(8) :: value
    end function
    ! A part of the program, which reads and writes variables that it knows.
    subroutine verso_run()
    end subroutine
    ! Sets y = A x.
    subroutine verso_apply(x, y)
      real(8), intent(in) :: x(:)
      real(8), intent(out) :: y(:)
    end subroutine
    ! Solves A x = b, or the system of the transposed matrix. x holds a first guess.
    subroutine verso_solver(transposed, b, x, solved)
      logical, intent(in) :: transposed
      real(8), intent(in) :: b(:)
      real(8), intent(inout) :: x(:)
      logical, intent(out) :: solved
    end subroutine
  end interface

  ! A part of the state of a fixed point: the elements where `mask` is true, or all, divided by `scale`.
  type :: verso_part
    real(8), pointer, contiguous :: numbers(:) => null()
    logical, pointer, contiguous :: mask(:) => null()
    real(8) :: scale = 1
  end type

  ! Memory that a solver reads, and that the program changes after the call.
  type, bind(c) :: verso_memory
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0
  end type

  interface verso_part_of
    module procedure part_0, part_1, part_2, part_3
  end interface
  interface verso_kept
    module procedure kept_1, kept_2, kept_3, kept_integers
  end interface
  interface verso_linear_solve
    module procedure solve_one, solve_several
  end interface

  ! The most bytes for recordings, saved states and derivatives (0: VERSO_MEMORY, or no limit); bytes of recording in
  ! a step (0: chosen); a folder for recordings that do not fit into offload_memory bytes.
  type :: verso_options
    integer(8) :: memory = 0
    integer(8) :: leaf = 0
    character(:), allocatable :: offload_directory
    integer(8) :: offload_memory = 0
  end type

  ! What a derivative has cost.
  type :: verso_report
    integer(8) :: steps = 0, forward_steps = 0, recordings = 0, capsules = 0
    integer(8) :: tape_bytes = 0, peak_bytes = 0
    real(8) :: seconds_forward = 0, seconds_reverse = 0
    character(96) :: schedule = ''
  end type

  ! What verso_check has found.
  type :: verso_verdict
    logical :: holds = .false.
    character(verso_message_size) :: message = ''
  end type

  ! A variable, or a part of it that is contiguous, with its derivatives.
  type, bind(c) :: verso_region
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: count = 0
    integer(c_int) :: kind = 0
    type(c_ptr) :: derivative = c_null_ptr
  end type

  interface verso_number
    module procedure region_0, region_1, region_2, region_3, region_4
    module procedure single_0, single_1, single_2, single_3
  end interface

  interface verso_frozen
    module procedure frozen_8, frozen_4
  end interface

  ! What C sees as the context of a run.
  type :: task
    procedure(verso_cost), pointer, nopass :: cost => null()
    procedure(verso_run), pointer, nopass :: run => null()
    real(8), allocatable :: x(:)
    real(8) :: value = 0
  end type

  ! What C sees as the context of a step, and of a solver.
  type :: fixed_task
    procedure(verso_run), pointer, nopass :: step => null()
    type(verso_part), allocatable :: parts(:)
    real(8), allocatable :: state(:)
  end type
  type :: linear_task
    procedure(verso_apply), pointer, nopass :: apply => null()
    procedure(verso_solver), pointer, nopass :: solve => null()
    integer(c_size_t) :: count = 0
  end type

  ! verso_fixed_point_options and verso_linear_problem of C.
  type, bind(c) :: fixed_options
    integer(c_size_t) :: size = 32
    real(c_double) :: tolerance = 0, derivative_tolerance = 0
    integer(c_int64_t) :: most = 0
  end type
  type, bind(c) :: linear_problem
    integer(c_size_t) :: size = 88, count = 0, sides = 1
    type(c_funptr) :: apply, solve
    type(c_ptr) :: context
    logical(c_bool) :: symmetric = .false.
    real(c_double) :: tolerance = 0
    type(c_ptr) :: kept = c_null_ptr
    integer(c_size_t) :: kept_count = 0
  end type

  interface
    function c_fixed_point(where, step, context, state, count, options) bind(c, name='verso_fixed_point_at')
      import
      type(c_ptr), value :: where, context, state, options
      type(c_funptr), value :: step
      integer(c_size_t), value :: count
      integer(c_int64_t) :: c_fixed_point
    end function
    function c_linear_solve(where, problem, b, x) bind(c, name='verso__fortran_linear_solve')
      import
      type(c_ptr), value :: where, problem, b, x
      integer(c_int) :: c_linear_solve
    end function
    function c_vjp(run, context, wrt, wrt_count, of, of_count, options, report, error) bind(c, name='verso_vjp')
      import
      type(c_funptr), value :: run
      type(c_ptr), value :: context, options, report, error
      type(verso_region), intent(in) :: wrt(*), of(*)
      integer(c_size_t), value :: wrt_count, of_count
      integer(c_int) :: c_vjp
    end function
    function c_jvp(run, context, wrt, wrt_count, of, of_count, report, error) bind(c, name='verso_jvp')
      import
      type(c_funptr), value :: run
      type(c_ptr), value :: context, report, error
      type(verso_region), intent(in) :: wrt(*), of(*)
      integer(c_size_t), value :: wrt_count, of_count
      integer(c_int) :: c_jvp
    end function
    function c_check(run, context, wrt, wrt_count, of, of_count, options, report, error) bind(c, name='verso_check')
      import
      type(c_funptr), value :: run
      type(c_ptr), value :: context, options, report, error
      type(verso_region), intent(in) :: wrt(*), of(*)
      integer(c_size_t), value :: wrt_count, of_count
      integer(c_int) :: c_check
    end function
    ! native/api/fortran.c: reads and writes the structures of C.
    subroutine c_options(options, memory, leaf, directory, offload) bind(c, name='verso__fortran_options')
      import
      type(c_ptr), value :: options, directory
      integer(c_int64_t), value :: memory, leaf, offload
    end subroutine
    subroutine c_report_begin(report) bind(c, name='verso__fortran_report_begin')
      import
      type(c_ptr), value :: report
    end subroutine
    subroutine c_report(report, counts, seconds, schedule) bind(c, name='verso__fortran_report')
      import
      type(c_ptr), value :: report
      integer(c_int64_t) :: counts(6)
      real(c_double) :: seconds(2)
      character(c_char) :: schedule(96)
    end subroutine
    subroutine c_check_begin(report) bind(c, name='verso__fortran_check_begin')
      import
      type(c_ptr), value :: report
    end subroutine
    function c_check_holds(report, message, length) bind(c, name='verso__fortran_check_holds')
      import
      type(c_ptr), value :: report
      character(c_char) :: message(*)
      integer(c_size_t), value :: length
      integer(c_int) :: c_check_holds
    end function
    subroutine c_message(error, message, length) bind(c, name='verso__fortran_message')
      import
      type(c_ptr), value :: error
      character(c_char) :: message(*)
      integer(c_size_t), value :: length
    end subroutine
    function c_frozen_8(value) bind(c, name='verso__fortran_frozen_double')
      import
      real(c_double), value :: value
      real(c_double) :: c_frozen_8
    end function
    function c_frozen_4(value) bind(c, name='verso__fortran_frozen_float')
      import
      real(c_float), value :: value
      real(c_float) :: c_frozen_4
    end function
  end interface

  ! Room for the structures of C.
  integer, parameter :: room = 256
  type :: buffer
    integer(8) :: words(room)
  end type

  !verso$ pure verso__fortran_frozen_double, verso__fortran_frozen_float

contains

  ! ---- What C calls ----

  subroutine run_cost(context) bind(c, name='verso__fortran_run_cost')
    type(c_ptr), value :: context
    type(task), pointer :: now
    call c_f_pointer(context, now)
    now%value = now%cost(now%x)
  end subroutine

  subroutine run_run(context) bind(c, name='verso__fortran_run_run')
    type(c_ptr), value :: context
    type(task), pointer :: now
    call c_f_pointer(context, now)
    call now%run()
  end subroutine

  ! ---- Results ----

  ! Ends the program with the message, unless the caller asks for the status.
  subroutine finish(code, error, status, message)
    integer(c_int), intent(in) :: code
    type(buffer), intent(in), target :: error
    integer, optional, intent(out) :: status
    character(*), optional, intent(out) :: message
    character(verso_message_size) :: text
    text = ''
    if (code /= 0) call c_message(c_loc(error), text, int(len(text), c_size_t))
    if (present(message)) message = text
    if (present(status)) then
      status = code
    else if (code /= 0) then
      error stop trim(text)
    end if
  end subroutine

  subroutine take_report(kept, report)
    type(buffer), intent(in), target :: kept
    type(verso_report), optional, intent(out) :: report
    integer(c_int64_t) :: counts(6)
    real(c_double) :: seconds(2)
    character(96) :: schedule
    if (.not. present(report)) return
    call c_report(c_loc(kept), counts, seconds, schedule)
    report%steps = counts(1)
    report%forward_steps = counts(2)
    report%recordings = counts(3)
    report%capsules = counts(4)
    report%tape_bytes = counts(5)
    report%peak_bytes = counts(6)
    report%seconds_forward = seconds(1)
    report%seconds_reverse = seconds(2)
    report%schedule = schedule
  end subroutine

  subroutine set_options(kept, directory, options)
    type(buffer), intent(inout), target :: kept
    character(:), allocatable, intent(out), target :: directory
    type(verso_options), optional, intent(in) :: options
    type(verso_options) :: none
    if (.not. present(options)) then
      call c_options(c_loc(kept), none%memory, none%leaf, c_null_ptr, none%offload_memory)
    else if (.not. allocated(options%offload_directory)) then
      call c_options(c_loc(kept), options%memory, options%leaf, c_null_ptr, options%offload_memory)
    else
      directory = options%offload_directory // c_null_char
      call c_options(c_loc(kept), options%memory, options%leaf, c_loc(directory), options%offload_memory)
    end if
  end subroutine

  ! ---- Derivatives ----

  ! Sets gradient(i) to the derivative of cost(x) by x(i).
  subroutine verso_gradient(cost, x, gradient, value, options, report, status, message)
    procedure(verso_cost) :: cost
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: gradient(:)
    real(8), optional, intent(out) :: value
    type(verso_options), optional, intent(in) :: options
    type(verso_report), optional, intent(out) :: report
    integer, optional, intent(out) :: status
    character(*), optional, intent(out) :: message
    type(task), target :: now
    type(buffer), target :: kept, results, error
    real(8), target :: one(1)
    real(8), allocatable, target :: found(:)
    character(:), allocatable, target :: directory
    type(verso_region) :: wrt(1), of(1)
    integer(c_int) :: code
    now%cost => cost
    now%x = x
    one = 1
    allocate (found(size(x)))
    wrt(1) = verso_region(c_loc(now%x), size(x), 0, c_loc(found))
    of(1) = verso_region(c_loc(now%value), 1, 0, c_loc(one))
    call set_options(kept, directory, options)
    call c_report_begin(c_loc(results))
    code = c_vjp(c_funloc(run_cost), c_loc(now), wrt, 1_c_size_t, of, 1_c_size_t, c_loc(kept), c_loc(results), &
      c_loc(error))
    gradient = found
    if (present(value)) value = now%value
    call take_report(results, report)
    call finish(code, error, status, message)
  end subroutine

  ! Runs run(), and sets the derivatives in `wrt` to those of the numbers in `of`, weighted by their derivatives.
  subroutine verso_vjp(run, wrt, of, options, report, status, message)
    procedure(verso_run) :: run
    type(verso_region), intent(in) :: wrt(:), of(:)
    type(verso_options), optional, intent(in) :: options
    type(verso_report), optional, intent(out) :: report
    integer, optional, intent(out) :: status
    character(*), optional, intent(out) :: message
    type(task), target :: now
    type(buffer), target :: kept, results, error
    character(:), allocatable, target :: directory
    integer(c_int) :: code
    now%run => run
    call set_options(kept, directory, options)
    call c_report_begin(c_loc(results))
    code = c_vjp(c_funloc(run_run), c_loc(now), wrt, size(wrt, kind=c_size_t), of, size(of, kind=c_size_t), c_loc(kept), &
      c_loc(results), c_loc(error))
    call take_report(results, report)
    call finish(code, error, status, message)
  end subroutine

  ! Runs run(), and sets the derivatives in `of` along those in `wrt`.
  subroutine verso_jvp(run, wrt, of, report, status, message)
    procedure(verso_run) :: run
    type(verso_region), intent(in) :: wrt(:), of(:)
    type(verso_report), optional, intent(out) :: report
    integer, optional, intent(out) :: status
    character(*), optional, intent(out) :: message
    type(task), target :: now
    type(buffer), target :: results, error
    integer(c_int) :: code
    now%run => run
    call c_report_begin(c_loc(results))
    code = c_jvp(c_funloc(run_run), c_loc(now), wrt, size(wrt, kind=c_size_t), of, size(of, kind=c_size_t), &
      c_loc(results), c_loc(error))
    call take_report(results, report)
    call finish(code, error, status, message)
  end subroutine

  ! Tests the derivatives of cost(x) by exact identities and by differences.
  subroutine verso_check(cost, x, verdict)
    procedure(verso_cost) :: cost
    real(8), intent(in) :: x(:)
    type(verso_verdict), intent(out) :: verdict
    type(task), target :: now
    type(buffer), target :: results, error
    type(verso_region) :: wrt(1), of(1)
    integer(c_int) :: code
    now%cost => cost
    now%x = x
    wrt(1) = verso_region(c_loc(now%x), size(x), 0, c_null_ptr)
    of(1) = verso_region(c_loc(now%value), 1, 0, c_null_ptr)
    call c_check_begin(c_loc(results))
    code = c_check(c_funloc(run_cost), c_loc(now), wrt, 1_c_size_t, of, 1_c_size_t, c_null_ptr, c_loc(results), &
      c_loc(error))
    if (code /= 0) then
      call c_message(c_loc(error), verdict%message, int(verso_message_size, c_size_t))
    else
      verdict%holds = c_check_holds(c_loc(results), verdict%message, int(verso_message_size, c_size_t)) /= 0
    end if
  end subroutine

  ! ---- Fixed points and linear systems ----

  include 'verso_solvers.inc'

  ! ---- A value without its derivative ----

  function frozen_8(value) result(r)
    real(8), intent(in) :: value
    real(8) :: r
    r = c_frozen_8(value)
  end function

  function frozen_4(value) result(r)
    real(4), intent(in) :: value
    real(4) :: r
    r = c_frozen_4(value)
  end function

  ! ---- Regions: verso_number(variable, derivatives) ----

  function region_0(variable, derivatives) result(r)
    real(8), intent(in), target :: variable
    real(8), intent(in), target :: derivatives
    type(verso_region) :: r
    r = verso_region(c_loc(variable), 1, 0, c_loc(derivatives))
  end function

  function region_1(variable, derivatives) result(r)
    real(8), intent(in), target, contiguous :: variable(:)
    real(8), intent(in), target, contiguous :: derivatives(:)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 0, c_loc(derivatives))
  end function

  function region_2(variable, derivatives) result(r)
    real(8), intent(in), target, contiguous :: variable(:, :)
    real(8), intent(in), target, contiguous :: derivatives(:, :)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 0, c_loc(derivatives))
  end function

  function region_3(variable, derivatives) result(r)
    real(8), intent(in), target, contiguous :: variable(:, :, :)
    real(8), intent(in), target, contiguous :: derivatives(:, :, :)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 0, c_loc(derivatives))
  end function

  function region_4(variable, derivatives) result(r)
    real(8), intent(in), target, contiguous :: variable(:, :, :, :)
    real(8), intent(in), target, contiguous :: derivatives(:, :, :, :)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 0, c_loc(derivatives))
  end function

  function single_0(variable, derivatives) result(r)
    real(4), intent(in), target :: variable
    real(8), intent(in), target :: derivatives
    type(verso_region) :: r
    r = verso_region(c_loc(variable), 1, 1, c_loc(derivatives))
  end function

  function single_1(variable, derivatives) result(r)
    real(4), intent(in), target, contiguous :: variable(:)
    real(8), intent(in), target, contiguous :: derivatives(:)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 1, c_loc(derivatives))
  end function

  function single_2(variable, derivatives) result(r)
    real(4), intent(in), target, contiguous :: variable(:, :)
    real(8), intent(in), target, contiguous :: derivatives(:, :)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 1, c_loc(derivatives))
  end function

  function single_3(variable, derivatives) result(r)
    real(4), intent(in), target, contiguous :: variable(:, :, :)
    real(8), intent(in), target, contiguous :: derivatives(:, :, :)
    type(verso_region) :: r
    r = verso_region(c_loc(variable), size(variable), 1, c_loc(derivatives))
  end function

end module
