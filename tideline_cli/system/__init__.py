"""What systems do differently, below everything else."""
