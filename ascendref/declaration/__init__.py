"""What an operator declares about itself."""
