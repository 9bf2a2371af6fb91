! at: 0.5,0.9,-0.3,0.7
! ENTRY, alternate returns, statement functions, assumed size, adjustable arrays, DATA, arithmetic IF, computed GO TO.
module entries_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s, area, volume, work(12), square, arg
    external :: area, volume
    integer :: i
    square(arg) = arg * arg + x(2)
    s = area(x(1), x(2)) + volume(x(1), x(2), x(3)) + square(x(3)) * square(2 * x(1))
    do i = 1, 4
      call classify(x(i), s, *10, *20)
      s = s + 1
      cycle
10    s = s - x(i) ** 2
      cycle
20    s = s + 3 * x(i) ** 3
    end do
    work = 0
    call fill(work, 3, 4, x)
    s = s + sum(work)
    do i = 1, 3
      go to (31, 32, 33), i
31    s = s * x(1)
      cycle
32    s = s + x(2)
      cycle
33    if (s) 41, 42, 43
41    s = -s
      cycle
42    s = 1
      cycle
43    s = s * 2
    end do
  end function
end module
function area(a, b)
  real(8) :: area, a, b, c, volume, scale
  save scale
  data scale /1.5d0/
  area = a * b * scale
  return
  entry volume(a, b, c)
  volume = a * b * c * scale
end function
subroutine classify(v, s, *, *)
  real(8) :: v, s
  if (v < 0) return 1
  if (v > 0.6d0) return 2
  s = s * v
end subroutine
subroutine fill(a, rows, columns, x)
  integer :: rows, columns, i, j
  real(8) :: a(rows, *), x(columns)
  do j = 1, columns
    do i = 1, rows
      a(i, j) = x(j) ** i
    end do
  end do
end subroutine
