"""What an operator declares: its parameters, shapes, accuracy and place on the device."""
