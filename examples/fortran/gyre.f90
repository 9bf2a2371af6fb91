! A wind-driven ocean gyre, and which winds make its western boundary current stronger. See docs/example-fortran-gyre.md.
!
!     verso fc -O2 examples/fortran/gyre.f90 -o gyre
!     ./gyre [STEPS]
!
! The model is a layer of water of variable depth over a motionless ocean (reduced gravity), in a basin of 1280 km with
! walls, on a C grid: h in the middle of cells, u and v on their sides. The unknowns are the wind stress at each latitude
! and the friction.
module gyre
  implicit none
  private
  public :: transport, put_steps, n, controls

  integer, parameter :: n = 64           ! cells in each direction
  integer, parameter :: controls = n + 1 ! the wind at each latitude, and the friction
  real(8), parameter :: dx = 20d3, dt = 2400
  real(8), parameter :: gravity = 0.02d0, depth = 500, density = 1000
  real(8), parameter :: coriolis = 1d-4, beta = 2d-11, viscosity = 400
  integer :: steps = 2000
  logical :: talks = .false.

  ! The state: thickness of the layer, velocities to the east and to the north, with a row beyond each wall.
  type :: ocean
    real(8), allocatable :: h(:, :), u(:, :), v(:, :)
  end type

contains

  subroutine put_steps(count)
    integer, intent(in) :: count
    steps = count
    talks = count <= 2000
  end subroutine

  ! Returns the transport to the north in the western fifth of the basin, averaged over the last quarter of the run, in
  ! millions of cubic metres per second.
  function transport(x) result(mean)
    real(8), intent(in) :: x(:)
    real(8) :: mean
    type(ocean) :: sea
    integer :: step, last
    call start(sea)
    last = max(steps / 4, 1)
    mean = 0
    do step = 1, steps
      call advance(sea, x(:n), x(n + 1))
      if (step > steps - last) mean = mean + northward(sea) / last
      if (mod(step, 500) == 0) call report(sea, step)
    end do
  end function

  subroutine start(sea)
    type(ocean), intent(out) :: sea
    allocate (sea%h(n, n), sea%u(0:n, 0:n + 1), sea%v(0:n + 1, 0:n))
    sea%h = depth
    sea%u = 0
    sea%v = 0
  end subroutine

  ! One step: the thickness first, then the velocities with the new thickness.
  subroutine advance(sea, wind, friction)
    type(ocean), intent(inout) :: sea
    real(8), intent(in) :: wind(n), friction
    real(8) :: flux_u(0:n, n), flux_v(n, 0:n)
    flux_u = 0
    flux_v = 0
    flux_u(1:n - 1, :) = sea%u(1:n - 1, 1:n) * (sea%h(1:n - 1, :) + sea%h(2:n, :)) / 2
    flux_v(:, 1:n - 1) = sea%v(1:n, 1:n - 1) * (sea%h(:, 1:n - 1) + sea%h(:, 2:n)) / 2
    sea%h = sea%h - dt / dx * (flux_u(1:n, :) - flux_u(0:n - 1, :) + flux_v(:, 1:n) - flux_v(:, 0:n - 1))
    call accelerate(sea%h, sea%u, sea%v, wind, friction)
  end subroutine

  subroutine accelerate(h, u, v, wind, friction)
    real(8), intent(in) :: h(n, n), wind(n), friction
    real(8), intent(inout) :: u(0:n, 0:n + 1), v(0:n + 1, 0:n)
    real(8) :: new_u(0:n, 0:n + 1), new_v(0:n + 1, 0:n), f, across
    integer :: i, j
    new_u = 0
    do j = 1, n
      f = coriolis + beta * (j - (n + 1) / 2d0) * dx
      do i = 1, n - 1
        across = (v(i, j) + v(i + 1, j) + v(i, j - 1) + v(i + 1, j - 1)) / 4
        new_u(i, j) = u(i, j) + dt * (f * across - gravity * (h(i + 1, j) - h(i, j)) / dx - friction * u(i, j) &
          + viscosity * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j)) / dx ** 2 &
          + 2 * wind(j) / (density * (h(i, j) + h(i + 1, j))) - u(i, j) * (u(i + 1, j) - u(i - 1, j)) / (2 * dx))
      end do
    end do
    new_u(:, 0) = -new_u(:, 1) ! beyond the walls: the water does not slip
    new_u(:, n + 1) = -new_u(:, n)
    new_v = 0
    do j = 1, n - 1
      f = coriolis + beta * (j - n / 2d0) * dx
      do i = 1, n
        across = (new_u(i, j) + new_u(i - 1, j) + new_u(i, j + 1) + new_u(i - 1, j + 1)) / 4
        new_v(i, j) = v(i, j) + dt * (-f * across - gravity * (h(i, j + 1) - h(i, j)) / dx - friction * v(i, j) &
          + viscosity * (v(i - 1, j) + v(i + 1, j) + v(i, j - 1) + v(i, j + 1) - 4 * v(i, j)) / dx ** 2 &
          - v(i, j) * (v(i, j + 1) - v(i, j - 1)) / (2 * dx))
      end do
    end do
    new_v(0, :) = -new_v(1, :)
    new_v(n + 1, :) = -new_v(n, :)
    u = new_u
    v = new_v
  end subroutine

  function northward(sea) result(flow)
    type(ocean), intent(in) :: sea
    real(8) :: flow
    associate (west => sea%v(1:n / 5, n / 2), thick => sea%h(:n / 5, n / 2))
      flow = sum(west * thick) * dx / 1d6
    end associate
  end function

  ! Written once, also where a budget repeats the run.
  subroutine report(sea, step)
    type(ocean), intent(in) :: sea
    integer, intent(in) :: step
    if (talks) &
      write (*, '(a, f7.1, a, f8.3, a, 2f8.1)') 'day', step * dt / 86400, ': transport', northward(sea), ', thickness', &
      minval(sea%h), maxval(sea%h)
  end subroutine
end module

program main
  use verso
  use gyre
  implicit none
  real(8) :: x(controls), gradient(controls), value
  type(verso_report) :: report
  integer :: j, count
  character(20) :: word
  count = 2000
  call get_command_argument(1, word)
  if (word /= '') read (word, *) count
  call put_steps(count)
  x(:n) = [(-0.1d0 * cos(acos(-1d0) * (j - 0.5d0) / n), j = 1, n)]
  x(n + 1) = 1d-7
  call verso_gradient(transport, x, gradient, value, report=report)
  print '(a, f9.4)', 'transport of the western boundary current in 10^6 m3/s:', value
  print '(a)', 'change by 0.01 N/m2 more wind to the east, by latitude from south to north:'
  print '(8f9.4)', gradient(:n) * 0.01d0
  print '(a, f9.4)', 'change by 1e-8/s more friction:', gradient(n + 1) * 1d-8
  print '(a, i0, a, f6.1, a)', trim(report%schedule) // ', ', report%capsules, ' states kept, ', report%peak_bytes / 1d6, ' MB'
end program
