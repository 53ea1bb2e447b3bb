"""All formulations that apply on six small models: what an answer costs, and how far it is off."""
