"""Controllers at work, sampled."""
