! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! WHERE, FORALL, DO CONCURRENT, ASSOCIATE, BLOCK, SELECT CASE, named loops, EXIT, CYCLE, implied DO.
module constructs_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(6), b(6), c(3, 2)
    integer :: i, j
    a = x(1:6)
    where (a > 0.4d0)
      b = a ** 2
    elsewhere (a > 0)
      b = sin(a)
    elsewhere
      b = -a * 3
    end where
    forall (i = 2:5, a(i) > 0) a(i) = b(i - 1) * b(i + 1)
    do concurrent (i = 1:3, j = 1:2)
      c(i, j) = a(i) * b(2 * j) + i
    end do
    associate (first => c(:, 1), u => a(1) * 2)
      first = first * u
    end associate
    block
      real(8) :: local
      local = sum([(b(i) * i, i = 1, 6, 2)])
      a(6) = local ** 2
    end block
    s = 0
    outer: do j = 1, 2
      do i = 1, 3
        if (c(i, j) < -5) cycle outer
        if (s > 50) exit outer
        s = s + c(i, j) ** 2
      end do
    end do outer
    select case (int(n))
    case (:3)
      s = 0
    case (4:9)
      s = s + sum(a)
    end select
  end function
end module
