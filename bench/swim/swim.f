C SPDX-License-Identifier: Apache-2.0
C swim in Fortran 77 style: the shallow-water equations on a periodic
C square, finite differences after R. Sadourny, J. Atmos. Sci. 32
C (1975). The same model as swim.c, array for array, loop for loop.
C Opposite sides are the same points: after each loop over N x N points
C the borders are copied, the columns of swim.c first.
C
C     swim [size [steps]]     size up to NMAX, default 512; steps 100
C
C Prints a checksum that does not depend on the number of threads.
      PROGRAM SWIM
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER STEP

      CALL SETUP
      CALL INITAL
      DO 10 STEP = 1, STEPS
        CALL CALC1
        CALL CALC2
        IF (STEP .EQ. 1) THEN
          CALL CALC3Z
        ELSE
          CALL CALC3
        END IF
   10 CONTINUE
      CALL CHECK
      END

C Constants and the two arguments.
      SUBROUTINE SETUP
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER NMAX, BAD
      PARAMETER (NMAX = 1335)
      CHARACTER*32 TEXT

      N = 512
      STEPS = 100
      BAD = 0
      IF (COMMAND_ARGUMENT_COUNT() .GE. 1) THEN
        CALL GET_COMMAND_ARGUMENT(1, TEXT)
        READ (TEXT, *, IOSTAT=BAD) N
      END IF
      IF (COMMAND_ARGUMENT_COUNT() .GE. 2 .AND. BAD .EQ. 0) THEN
        CALL GET_COMMAND_ARGUMENT(2, TEXT)
        READ (TEXT, *, IOSTAT=BAD) STEPS
      END IF
      IF (BAD .NE. 0 .OR. N .LT. 4 .OR. N .GT. NMAX .OR.
     &    STEPS .LT. 1) THEN
        WRITE (0, '(A,I0,A)') 'usage: swim [size, 4 to ', NMAX,
     &    ' [steps]]'
        CALL EXIT(2)
      END IF
      DT = 90.D0
      TDT = DT
      DX = 1.D5
      DY = 1.D5
      ALPHA = .001D0
      END

C First values, from a stream function.
      SUBROUTINE INITAL
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION PI, A, DI, DJ, EL, PCF
      INTEGER I, J

      PI = 4.D0 * ATAN(1.D0)
      A = 1.D6
      DI = 2.D0 * PI / N
      DJ = 2.D0 * PI / N
      EL = N * DX
      PCF = PI * PI * A * A / (EL * EL)
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          PSI(I,J) = A * SIN((I - .5D0) * DI) * SIN((J - .5D0) * DJ)
          P(I,J) = PCF * (COS(2.D0 * (I - 1) * DI)
     &      + COS(2.D0 * (J - 1) * DJ)) + 50000.D0
   10   CONTINUE
   20 CONTINUE
!$OMP PARALLEL DO PRIVATE(I)
      DO 40 J = 1, N
        DO 30 I = 1, N
          U(I+1,J) = -(PSI(I+1,J+1) - PSI(I+1,J)) / DY
          V(I,J+1) = (PSI(I+1,J+1) - PSI(I,J+1)) / DX
   30   CONTINUE
   40 CONTINUE
!$OMP PARALLEL DO
      DO 50 J = 1, N
        U(1,J) = U(N+1,J)
        V(N+1,J+1) = V(1,J+1)
   50 CONTINUE
!$OMP PARALLEL DO
      DO 60 I = 1, N + 1
        U(I,N+1) = U(I,1)
        V(I,1) = V(I,N+1)
   60 CONTINUE
!$OMP PARALLEL DO PRIVATE(I)
      DO 80 J = 1, N + 1
        DO 70 I = 1, N + 1
          UOLD(I,J) = U(I,J)
          VOLD(I,J) = V(I,J)
          POLD(I,J) = P(I,J)
   70   CONTINUE
   80 CONTINUE
      END

C Mass fluxes, potential vorticity and Bernoulli function.
      SUBROUTINE CALC1
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION FSDX, FSDY
      INTEGER I, J

      FSDX = 4.D0 / DX
      FSDY = 4.D0 / DY
!$OMP PARALLEL PRIVATE(I, J)
!$OMP DO
      DO 20 J = 1, N
        DO 10 I = 1, N
          CU(I+1,J) = .5D0 * (P(I+1,J) + P(I,J)) * U(I+1,J)
          CV(I,J+1) = .5D0 * (P(I,J+1) + P(I,J)) * V(I,J+1)
          Z(I+1,J+1) = (FSDX * (V(I+1,J+1) - V(I,J+1))
     &      - FSDY * (U(I+1,J+1) - U(I+1,J)))
     &      / (P(I,J) + P(I+1,J) + P(I+1,J+1) + P(I,J+1))
          H(I,J) = P(I,J) + .25D0 * (U(I+1,J) * U(I+1,J)
     &      + U(I,J) * U(I,J) + V(I,J+1) * V(I,J+1) + V(I,J) * V(I,J))
   10   CONTINUE
   20 CONTINUE
!$OMP DO
      DO 30 J = 1, N
        CU(1,J) = CU(N+1,J)
        CV(N+1,J+1) = CV(1,J+1)
        Z(1,J+1) = Z(N+1,J+1)
        H(N+1,J) = H(1,J)
   30 CONTINUE
!$OMP DO
      DO 40 I = 1, N + 1
        CU(I,N+1) = CU(I,1)
        CV(I,1) = CV(I,N+1)
        Z(I,1) = Z(I,N+1)
        H(I,N+1) = H(I,1)
   40 CONTINUE
!$OMP END PARALLEL
      END

C The next time level.
      SUBROUTINE CALC2
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION TDTS8, TDTSDX, TDTSDY
      INTEGER I, J

      TDTS8 = TDT / 8.D0
      TDTSDX = TDT / DX
      TDTSDY = TDT / DY
!$OMP PARALLEL PRIVATE(I, J)
!$OMP DO
      DO 20 J = 1, N
        DO 10 I = 1, N
          UNEW(I+1,J) = UOLD(I+1,J) + TDTS8 * (Z(I+1,J+1) + Z(I+1,J))
     &      * (CV(I+1,J+1) + CV(I,J+1) + CV(I,J) + CV(I+1,J))
     &      - TDTSDX * (H(I+1,J) - H(I,J))
          VNEW(I,J+1) = VOLD(I,J+1) - TDTS8 * (Z(I+1,J+1) + Z(I,J+1))
     &      * (CU(I+1,J+1) + CU(I,J+1) + CU(I,J) + CU(I+1,J))
     &      - TDTSDY * (H(I,J+1) - H(I,J))
          PNEW(I,J) = POLD(I,J) - TDTSDX * (CU(I+1,J) - CU(I,J))
     &      - TDTSDY * (CV(I,J+1) - CV(I,J))
   10   CONTINUE
   20 CONTINUE
!$OMP DO
      DO 30 J = 1, N
        UNEW(1,J) = UNEW(N+1,J)
        VNEW(N+1,J+1) = VNEW(1,J+1)
        PNEW(N+1,J) = PNEW(1,J)
   30 CONTINUE
!$OMP DO
      DO 40 I = 1, N + 1
        UNEW(I,N+1) = UNEW(I,1)
        VNEW(I,1) = VNEW(I,N+1)
        PNEW(I,N+1) = PNEW(I,1)
   40 CONTINUE
!$OMP END PARALLEL
      END

C After the first step: no smoothing yet, and the time step doubles.
      SUBROUTINE CALC3Z
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER I, J

      TDT = TDT + TDT
!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          UOLD(I,J) = U(I,J)
          VOLD(I,J) = V(I,J)
          POLD(I,J) = P(I,J)
          U(I,J) = UNEW(I,J)
          V(I,J) = VNEW(I,J)
          P(I,J) = PNEW(I,J)
   10   CONTINUE
   20 CONTINUE
      END

C Smoothing in time, and one step forward.
      SUBROUTINE CALC3
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      INTEGER I, J

!$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, N + 1
        DO 10 I = 1, N + 1
          UOLD(I,J) = U(I,J)
     &      + ALPHA * (UNEW(I,J) - 2.D0 * U(I,J) + UOLD(I,J))
          VOLD(I,J) = V(I,J)
     &      + ALPHA * (VNEW(I,J) - 2.D0 * V(I,J) + VOLD(I,J))
          POLD(I,J) = P(I,J)
     &      + ALPHA * (PNEW(I,J) - 2.D0 * P(I,J) + POLD(I,J))
          U(I,J) = UNEW(I,J)
          V(I,J) = VNEW(I,J)
          P(I,J) = PNEW(I,J)
   10   CONTINUE
   20 CONTINUE
      END

C Serial, so that the sums are added in one order.
      SUBROUTINE CHECK
      INTEGER NMAX, NP
      PARAMETER (NMAX = 1335, NP = NMAX + 1)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      DOUBLE PRECISION CU, CV, Z, H, PSI
      COMMON U(NP,NP), V(NP,NP), P(NP,NP),
     &       UNEW(NP,NP), VNEW(NP,NP), PNEW(NP,NP),
     &       UOLD(NP,NP), VOLD(NP,NP), POLD(NP,NP),
     &       CU(NP,NP), CV(NP,NP), Z(NP,NP), H(NP,NP), PSI(NP,NP)
      DOUBLE PRECISION DT, TDT, DX, DY, ALPHA
      INTEGER N, STEPS
      COMMON /CONS/ DT, TDT, DX, DY, ALPHA, N, STEPS
      DOUBLE PRECISION PCHECK, UCHECK, VCHECK
      INTEGER I, J

      PCHECK = 0.D0
      UCHECK = 0.D0
      VCHECK = 0.D0
      DO 20 J = 1, N
        DO 10 I = 1, N
          PCHECK = PCHECK + ABS(PNEW(I,J))
          UCHECK = UCHECK + ABS(UNEW(I,J))
          VCHECK = VCHECK + ABS(VNEW(I,J))
   10   CONTINUE
   20 CONTINUE
      WRITE (*, '(A,I0,A,I0,A,I0,A)') 'swim ', N, ' x ', N, ', ',
     &  STEPS, ' steps'
      WRITE (*, '(3(A,ES16.10E2))') 'checksum p ', PCHECK,
     &  ' u ', UCHECK, ' v ', VCHECK
      END
