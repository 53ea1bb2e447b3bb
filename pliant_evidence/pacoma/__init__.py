"""Evidence on PACOMA in space: six leaf legs that bow outward, and what docks on them."""
