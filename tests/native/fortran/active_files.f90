! at: 0.5,0.9,-0.3,0.7
! Numbers that go through files and keep their derivatives: sequential records, direct access, streams, scratch files,
! sections, derived types, complex numbers, another unit, records that are overwritten and read in parts.
module active_files_test
  implicit none
  type point
    integer :: tag
    real(8) :: at(2)
    real(4) :: weight
  end type
  type cluster
    type(point) :: inside(2)
    complex(8) :: turn
  end type
  real(8), save :: kept(3)
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    s = sequential(x(1:4)) + direct(x(1:4)) + stream(x(1:4)) + types(x(1:4)) + named(x(1:4)) + implicit_unit(x(1:4))
  end function

  function sequential(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s, a(4), m(3, 4), b, c
    integer :: unit, i, k
    open (newunit=unit, form='unformatted', status='scratch')
    do i = 1, 3
      a = x * i
      m = spread(x, 1, 3) * i
      write (unit) i, a(i), sin(x(i)), m(2, :)
      a = 7
      m = 7
    end do
    rewind (unit)
    read (unit) k, b
    s = b * k
    read (unit)
    read (unit) k, b, c, a(4:1:-1)
    s = s + b * c + dot_product(a, x) * k
    backspace (unit)
    backspace (unit)
    read (unit) k, b, kept(1)
    s = s + k * b ** 2 * kept(1)
    backspace (unit)
    write (unit) 1, x(4) ** 3 ! the file ends here
    backspace (unit)
    read (unit) k, b
    read (unit, iostat=k) c
    if (k == 0) s = 0
    s = s + b * x(1)
    close (unit)
  end function

  function direct(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s, a(4), b(2), v
    integer :: unit, i
    open (newunit=unit, form='unformatted', access='direct', recl=32, status='scratch')
    do i = 4, 1, -1
      v = x(i)
      write (unit, rec=i) exp(x(i)), v, x(1) * v
    end do
    write (unit, rec=2) 1d0, x(3) ! overwrites
    s = 0
    do i = 1, 4
      read (unit, rec=i) a(1:2)
      s = s + a(1) * a(2) ** 2
    end do
    read (unit, rec=3) a(1:3)
    read (unit, rec=3) b
    s = s + product(a(1:3)) + product(b)
    close (unit)
  end function

  function stream(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s, a(4)
    real(4) :: r(2), q
    integer :: unit, where
    complex(8) :: z
    open (newunit=unit, form='unformatted', access='stream', status='scratch')
    r = 0.25
    write (unit) 5, r, cmplx(x(3), x(4), 8), x * x
    inquire (unit=unit, pos=where)
    write (unit) x(1)
    read (unit, pos=9) q, z, a(1)
    s = q * abs(z) ** 2 + a(1)
    read (unit, pos=where) a(2)
    read (unit, pos=where - 16) a(3:4)
    s = s + a(2) * a(3) + a(4) ** 2
    write (unit, pos=where) 2d0
    read (unit, pos=where) a(2)
    s = s * a(2)
    close (unit)
  end function

  function types(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s
    type(cluster) :: c(2), d
    type(point) :: alone
    integer :: unit, i
    do i = 1, 2
      c(i)%inside(1) = point(i, x(1:2), 0.5)
      c(i)%inside(2) = point(2 * i, [x(3), x(4) * i], 1.)
      c(i)%turn = cmplx(x(i), x(1), 8)
    end do
    open (newunit=unit, form='unformatted', status='scratch')
    write (unit) c
    write (unit) c(2)%inside
    rewind (unit)
    read (unit) d, c(1)
    s = d%inside(2)%at(2) * c(1)%inside(1)%at(1) + abs(c(1)%turn) ** 2 + d%inside(1)%weight ** 2
    read (unit) alone, c(1)%inside(1)
    s = s + alone%at(1) * c(1)%inside(1)%at(2) * alone%tag
    close (unit)
  end function

  ! A file with a name, by two units, closed between.
  function named(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s, a(2)
    integer :: first, second
    open (newunit=first, file='active_files.data', form='unformatted', access='stream', status='replace')
    write (first) x(2:3)
    close (first)
    open (newunit=second, file='active_files.data', form='unformatted', access='direct', recl=8)
    read (second, rec=2) a(1)
    read (second, rec=1) a(2)
    close (second, status='delete')
    s = a(1) * a(2) ** 2
  end function

  ! A unit that is not opened.
  function implicit_unit(x) result(s)
    real(8), intent(in) :: x(4)
    real(8) :: s, a
    write (37) x(1) * x(2)
    rewind (37)
    read (37) a
    close (37, status='delete')
    s = a ** 2
  end function
end module
