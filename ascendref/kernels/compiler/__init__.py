"""How functions become machine code, and where that is kept."""
