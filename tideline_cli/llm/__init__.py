"""Language models: the only outgoing network, and what their replies say."""
