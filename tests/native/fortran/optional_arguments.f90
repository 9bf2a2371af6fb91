! at: 0.5,0.9,-0.3,0.7
! Optional and keyword arguments, passed on absent, VALUE, procedures as arguments and as components, abstract interfaces,
! functions that return arrays and allocatables, INTENT(OUT) of allocatables, MOVE_ALLOC, character arguments.
module optional_arguments_test
  implicit none
  abstract interface
    pure function law(t, p) result(r)
      real(8), intent(in) :: t, p(:)
      real(8) :: r(size(p))
    end function
  end interface
  type solver
    procedure(law), pointer, nopass :: right => null()
    real(8) :: step = 0.1d0
  contains
    procedure :: run
  end type
  interface measure
    module procedure measure_1, measure_2
  end interface
contains
  pure function decay(t, p) result(r)
    real(8), intent(in) :: t, p(:)
    real(8) :: r(size(p))
    r = -p * (1 + t)
  end function
  pure function couple(t, p) result(r)
    real(8), intent(in) :: t, p(:)
    real(8) :: r(size(p))
    r = cshift(p, 1) * cos(t) - p ** 2
  end function
  subroutine run(this, p, count, history, weight)
    class(solver), intent(in) :: this
    real(8), intent(inout) :: p(:)
    integer, intent(in), optional :: count
    real(8), allocatable, intent(out), optional :: history(:, :)
    real(8), value, optional :: weight
    real(8), allocatable :: longer(:, :)
    integer :: i, most
    most = 4
    if (present(count)) most = count
    if (present(history)) allocate (history(size(p), 0))
    do i = 1, most
      p = p + this%step * scaled(this%right(i * this%step, p), weight)
      if (.not. present(history)) cycle
      allocate (longer(size(p), i))
      longer(:, :i - 1) = history
      longer(:, i) = p
      call move_alloc(longer, history)
    end do
  end subroutine
  function scaled(v, weight) result(r)
    real(8), intent(in) :: v(:)
    real(8), intent(in), optional :: weight
    real(8), allocatable :: r(:)
    r = v
    if (present(weight)) r = r * weight
  end function
  function measure_1(p, how) result(m)
    real(8), intent(in) :: p(:)
    character(*), intent(in) :: how
    real(8) :: m
    m = sum(p ** 2)
    if (how == 'mean') m = m / size(p)
  end function
  function measure_2(p, how) result(m)
    real(8), intent(in) :: p(:, :)
    character(*), intent(in), optional :: how
    real(8) :: m
    m = sum(p(:, 1) * p(:, size(p, 2)))
    if (present(how)) m = m * len(how)
  end function
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(solver) :: one
    real(8) :: p(4)
    real(8), allocatable :: history(:, :)
    one%right => decay
    p = x(1:4)
    call one%run(p, weight=x(2))
    s = measure(p, 'mean')
    one = solver(couple, 0.2d0)
    call one%run(p, history=history, count=6)
    s = s + measure(history, 'ends') + measure(p(1:3:2), 'sum') * x(1)
  end function
end module
