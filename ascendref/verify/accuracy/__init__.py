"""The accuracy of the operators, measured on sweeps of their inputs."""
