"""Where machines meet: a folder, ssh, git, rclone."""
