"""The solvers of rows: direct with an active set, Gauss-Seidel, shock propagation."""
