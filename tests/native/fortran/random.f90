! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Random numbers, the clock and the command line come from outside once.
module random_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: r(4), t
    integer :: count, values(8), seed(33), k
    character(10) :: date
    call random_seed(size=k)
    seed = 7
    call random_seed(put=seed(1:k))
    call random_number(r)
    call random_number(r(2:4:2))
    call cpu_time(t)
    call system_clock(count)
    call date_and_time(date, values=values)
    s = sum(r * x(1:4)) + 0 * (t + count + values(1)) + command_argument_count() * 0
    r(1) = x(5)
    call random_number(r(2:))
    s = s + r(1) ** 2 + sum(r(2:)) * 0
  end function
end module
