! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Namelists and list-directed input from a file and from an internal unit.
module namelist_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: dt, weights(3)
    integer :: steps, unit, t
    logical :: quick
    character(60) :: text
    namelist /settings/ dt, weights, steps, quick
    dt = 0
    weights = 1
    steps = 2
    quick = .false.
    open (newunit=unit, status='scratch', action='readwrite')
    write (unit, '(a)') '&settings dt = 0.25, weights(2) = 3, steps = 4, quick = t /'
    rewind (unit)
    read (unit, nml=settings)
    close (unit)
    text = '0.5 7'
    read (text, *) weights(3), t
    s = x(1)
    do t = 1, steps
      s = s + dt * (weights(1) * x(2) - weights(2) * s * x(3) + weights(3) * x(4) ** 2)
    end do
    if (.not. quick) s = 0
  end function
end module
