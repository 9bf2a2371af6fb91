! at: 0.5,0.9,-0.3,0.7
! FORALL and WHERE with masks and overlaps, DO CONCURRENT with locality, ASSOCIATE to expressions and sections, BLOCK with
! its own arrays, EXIT from constructs, array constructors with implied do, SELECT CASE with ranges, vector subscripts.
module constructs_more_test
  implicit none
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(6, 6), b(6), t
    integer :: i, j, order(6)
    a = reshape([((x(1 + mod(i, 4)) * j + i, i = 1, 6), j = 1, 6)], [6, 6])
    forall (i = 1:6, j = 1:6, i < j) a(i, j) = a(j, i) * 0.5d0
    forall (i = 2:5) a(i, :) = a(i - 1, :) + a(i + 1, :)
    where (a > 3)
      a = a / 3
    elsewhere (a < 0)
      a = -a * x(2)
    elsewhere
      a = a ** 2
    end where
    b = 0
    do concurrent (i = 1:6) local(t)
      t = sum(a(i, :)) * x(3)
      b(i) = t ** 2 / 100
    end do
    order = [3, 1, 6, 2, 5, 4]
    b(order) = b + b(order(6:1:-1)) * x(4)
    associate (diagonal => [(a(i, i), i = 1, 6)], corner => a(1:2, 5:6), scale => 1 / (1 + x(1) ** 2))
      corner = corner * scale
      s = dot_product(diagonal, b) * scale
    end associate
    outer: block
      real(8) :: local(size(b))
      local = b * a(:, 2)
      do i = 1, 6
        select case (i)
        case (:2)
          s = s + local(i)
        case (3:4)
          s = s - local(i) ** 2
        case default
          if (i == 6) exit outer
          s = s * 1.1d0
        end select
      end do
    end block outer
    s = s + sum(a, mask=a < 2) / 50 + maxval(b) + minval(a(2, :)) + sum(a(minloc(b), 3)) + count(a > 1)
  end function
end module
