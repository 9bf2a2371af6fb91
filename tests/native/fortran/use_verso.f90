! own: main
! The module verso: gradients of functions and of internal procedures, products with Jacobians of variables of a module,
! budgets, messages, frozen values.
module lake
  implicit none
  real(8), target :: depth(12, 12), wind(2)
  real(4), target :: single(3)
  integer :: steps = 60
contains
  subroutine run
    integer :: t, i, j
    real(8) :: next(12, 12)
    do t = 1, steps
      next = depth
      do j = 2, 11
        do i = 2, 11
          next(i, j) = depth(i, j) + 0.1d0 * (depth(i + 1, j) - 2 * depth(i, j) + depth(i - 1, j)) * wind(1) &
            + 0.05d0 * depth(i, j) * (depth(i, j + 1) - depth(i, j - 1)) * wind(2)
        end do
      end do
      depth = next
    end do
    single = single * real(sum(depth), 4)
  end subroutine
  function energy(x) result(e)
    real(8), intent(in) :: x(:)
    real(8) :: e
    e = sum(x ** 2) / 2 + x(1) * x(2)
  end function
end module

program main
  use verso
  use lake
  implicit none
  real(8) :: x(4) = [1, 2, 3, 4], g(4), e, weight
  real(8), target :: by_depth(12, 12), again(12, 12), by_wind(2), of_depth(12, 12), tangent(12, 12), along(2), start(12, 12)
  real(8), target :: of_single(3), by_single(3)
  type(verso_options) :: options
  type(verso_report) :: report
  type(verso_verdict) :: verdict
  integer :: i, status
  character(200) :: message
  call verso_gradient(energy, x, g, e, report=report)
  call expect(all(abs(g - [3d0, 3d0, 3d0, 4d0]) < 1d-14) .and. abs(e - 17) < 1d-14, 'gradient')
  call expect(report%steps == 1 .and. report%schedule == 'single pass', 'report')
  weight = 3
  call verso_gradient(weighted, x, g)
  call expect(all(abs(g - 3 * x) < 1d-14), 'an internal procedure')
  call verso_gradient(steered, x, g)
  call expect(all(abs(g - [1d0, 0d0, 0d0, 0d0]) < 1d-14), 'verso_frozen')
  call verso_check(weighted, x, verdict)
  call expect(verdict%holds, 'verso_check: ' // trim(verdict%message))

  start = reshape([(1 + 0.1d0 * sin(0.7d0 * i), i = 1, 144)], [12, 12])
  of_depth = 1
  of_single = 0
  call begin
  call verso_vjp(run, [verso_number(depth, by_depth), verso_number(wind, by_wind), verso_number(single, by_single)], &
    [verso_number(depth, of_depth), verso_number(single, of_single)])
  along = [0.5d0, -1d0]
  call begin
  call verso_jvp(run, [verso_number(wind, along)], [verso_number(depth, tangent)])
  call expect(abs(sum(tangent) - dot_product(by_wind, along)) < 1d-12 * sum(abs(tangent)), 'tangent and reverse mode')
  steps = 4000
  options%memory = 3000000
  call begin
  call verso_vjp(run, [verso_number(depth, by_depth)], [verso_number(depth, of_depth)])
  call begin
  call verso_vjp(run, [verso_number(depth, again)], [verso_number(depth, of_depth)], options=options, report=report)
  call expect(all(by_depth == again) .and. report%steps > 1 .and. report%peak_bytes <= options%memory, 'budget')
  options%memory = 1000
  call begin
  call verso_vjp(run, [verso_number(depth, again)], [verso_number(depth, of_depth)], options=options, status=status, &
    message=message)
  call expect(status /= 0 .and. index(message, 'budget') > 0, 'status: ' // trim(message))
contains
  subroutine begin
    depth = start
    wind = [1d0, 0.5d0]
    single = 1
  end subroutine
  function weighted(x) result(r)
    real(8), intent(in) :: x(:)
    real(8) :: r
    r = weight * sum(x ** 2) / 2
  end function
  function steered(x) result(r)
    real(8), intent(in) :: x(:)
    real(8) :: r
    r = x(1) * verso_frozen(x(2)) / 2
  end function
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) error stop what
  end subroutine
end program
