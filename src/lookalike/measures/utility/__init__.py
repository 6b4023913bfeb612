"""What a release is still good for: losses, learning, questions, choosing k."""
