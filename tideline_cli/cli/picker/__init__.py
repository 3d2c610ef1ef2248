"""The list of `tideline pick`: what is in it, how it is drawn, what its keys do; and by fzf."""
