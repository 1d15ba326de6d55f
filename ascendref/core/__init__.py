"""What everything stands on: element types, errors, status codes, layout, products, threads."""
