! at: 0.5,0.9,-0.3,0.7
! BLOCK DATA, COMMON with different views of it, EQUIVALENCE of real arrays and of complex with real, SAVE, blank COMMON.
block data initial
  real(8) :: table(4), rate
  common /tables/ table, rate
  data table /1d0, 2d0, 3d0, 4d0/, rate /0.25d0/
end block data
subroutine update(x)
  real(8) :: x(4), table(4), rate, blank(8), line(2, 4)
  common /tables/ table, rate
  common blank
  equivalence (blank, line)
  integer :: i
  rate = rate + x(1) * 0.1d0
  do i = 1, 4
    table(i) = table(i) * x(i) + rate
    line(1, i) = table(i) ** 2
    line(2, i) = x(i)
  end do
end subroutine
function gathered() result(s)
  real(8) :: s, pair(2, 2), rate, first(4), rest(4), parts(2)
  common /tables/ pair, rate
  common first, rest
  complex(8) :: z
  equivalence (z, parts)
  parts(1) = pair(2, 1)
  parts(2) = rate
  z = z * z
  s = pair(1, 2) * rate + sum(first * rest) + parts(1) - parts(2)
end function
subroutine count_up(v, total)
  real(8) :: v, total
  real(8), save :: so_far
  logical, save :: first = .true.
  if (first) so_far = 0
  first = .false.
  so_far = so_far + v ** 2
  total = so_far
end subroutine
subroutine reset(x)
  real(8) :: x, table(4), rate
  common /tables/ table, rate
  table = [1d0, 2d0, 3d0, 4d0]
  rate = x
end subroutine
module block_data_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s, gathered, total
    external :: gathered
    integer :: i
    call reset(0.25d0)
    do i = 1, 3
      call update(x)
    end do
    s = gathered()
    total = 0
    do i = 1, 4
      call count_up(x(i), total)
    end do
    s = s + x(2) ** 2
  end function
end module
