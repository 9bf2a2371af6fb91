! Parallel loops, a reduction, and parts for one thread, in Fortran: tests/native/openmp_fortran.sh.
function f(x, n) result(cost) bind(c)
  use iso_c_binding
  use omp_lib
  implicit none
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: cost, y(200), z(20, 10), sum, term, last
  integer :: i, j
  !$omp parallel do schedule(dynamic, 7)
  do i = 1, 200
     y(i) = sin(x(mod(i, int(n)) + 1)) * i * 0.01d0
  end do
  !$omp parallel do collapse(2) private(term)
  do j = 1, 10
     do i = 1, 20
        term = y(20 * (j - 1) + i)
        z(i, j) = term * term + x(1)
     end do
  end do
  sum = 0
  last = 0
  !$omp parallel do reduction(+:sum) lastprivate(last) schedule(static, 3)
  do i = 1, 200
     last = y(i) * x(2)
     sum = sum + last * last
  end do
  !$omp parallel
  !$omp single
  sum = sum + y(1)
  !$omp end single
  !$omp do private(j)
  do i = 1, 10
     do j = 1, 20
        z(j, i) = z(j, i) * y(i)
     end do
  end do
  !$omp end do
  !$omp critical
  if (omp_get_thread_num() == 0) sum = sum + z(2, 3)
  !$omp end critical
  !$omp end parallel
  !$omp parallel sections
  !$omp section
  y(1) = y(1) * x(3)
  !$omp section
  y(2) = y(2) * x(3)
  !$omp end parallel sections
  !$omp parallel do
  do i = 1, 20
     !$omp atomic
     sum = sum + z(i, 4)
  end do
  cost = sum + last + y(1) * y(2) + z(5, 6)
end function
