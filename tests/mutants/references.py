"""Where the expected values of the tests that judge faults come from. Rows of validation cases say it themselves."""

from __future__ import annotations

OUTSIDE = ("published", "exact", "independent code", "conservation law")  # not computed by pliant

BY_KIND: dict[str, dict[str, tuple[str, ...]]] = {
    "published": {
        "unit/test_closed_forms.py": ("a_step_multiplies_an_oscillation_by_the_root_of_the_scheme",),
        "unit/test_lumping.py": ("links_have_the_lengths_and_springs_of_the_paper",),
    },
    "exact": {
        "contract/test_beam_elements.py": ("curved_rest_is_free_of_stress",),
        "contract/test_gear_and_screw.py": (
            "gear_pair_turns_as_its_reduced_inertia",
            "nut_moves_as_with_the_reduced_mass_of_its_spin",
        ),
        "contract/test_spatial_parts.py": (
            "free_body_spins_as_euler_says",
            "kinetic_energy_is_that_of_the_masses",
        ),
        "properties/test_tendon.py": ("euler_and_eytelwein",),
        "regressions/test_coarse_impacts.py": (
            "a_ball_lies_on_its_floor",
            "an_elastic_ball_is_ok_only_if_it_is_right",
        ),
        "regressions/test_drives.py": ("torques_of_drives_do_not_ring",),
        "regressions/test_errors_that_grow.py": ("steps_that_are_cut_back_tell_no_error",),
        "regressions/test_loads_that_jump.py": (
            "a_ball_that_bounces_near_another_by_chance_is_not_ok",
            "a_motion_off_by_a_load_that_jumps_is_not_ok",
        ),
        "regressions/test_shapes_that_pass.py": (
            "a_beam_rests_on_a_peg_that_newton_would_leap_over",
            "edges_that_strike_are_apart",
        ),
        "regressions/test_ok_means_right.py": ("a_jump_of_an_expression_acts_from_its_instant_on",),
        "regressions/test_rest_of_rigid_arms.py": ("an_arm_under_its_weight",),
        "regressions/test_rigid_motion_is_not_damped.py": ("a_leaf_that_swings_is_damped_by_its_material_only",),
        "regressions/test_snapping.py": ("a_truss_beyond_its_limit",),
        "regressions/test_tapered_beams.py": ("higher_orders_are_better",),
        "regressions/test_tubes_held_apart.py": ("a_tube_is_twisted_behind_the_base_of_the_tube_around_it",),
        "unit/test_hulls.py": (
            "a_ball_slides_off_the_edge_of_a_box",
            "a_tall_box_tips_where_its_weight_leaves_its_base",
            "an_overhanging_box_rests_on_an_edge_and_a_corner",
            "blocks_stand_on_each_other",
            "what_edges_are_said_to_press_is_what_they_do",
            "within_a_hull_the_nearest_face_pushes",
        ),
        "unit/test_many_beams.py": ("a_body_is_laid_along_a_marker_that_is_turned_on_a_beam",),
        "unit/test_decks.py": ("a_strip_bends_and_swings_as_in_closed_form",),
        "unit/test_efforts.py": ("a_pin_in_space_carries_no_moment_about_its_own_axis",),
        "unit/test_fed_damping.py": ("pushed_along_a_clothoid_it_is_bent_as_it_goes",),
        "unit/test_ancf.py": ("a_small_load_along_the_beam_bends_its_nodes_exactly",),
        "validation/test_concentric_tubes.py": ("where_they_snap",),
        "validation/test_fed_rods.py": ("what_the_drive_holds",),
        "unit/test_relative_paths.py": ("a_column_buckles_and_its_branch_is_followed",),
        "unit/test_rotor.py": (
            "a_rotor_that_is_carried_around_has_a_gyroscopic_moment",
            "two_shafts_and_a_rotor_obey_lagrange",
        ),
        "unit/test_relative_loops.py": ("a_bar_without_mass_only_pulls_along_itself",),
        "unit/test_allocation.py": (
            "tension_stays_positive_and_pretension_is_kept",
            "without_bounds_it_is_the_weighted_pseudo_inverse",
        ),
        "unit/test_closed_forms.py": (
            "a_beam_slows_down_in_drag",
            "a_block_slides_by_regularised_friction",
            "a_body_falls",
            "a_bob_hangs_on_a_rod_of_given_length",
            "a_chain_is_damped_as_its_beam",
            "a_column_loses_its_stability_at_eulers_load",
            "a_short_cantilever_shears",
            "a_curved_rod_shot_straightens_under_its_moment",
            "a_free_top_precesses",
            "a_load_off_the_axis_bends_a_beam",
            "a_mass_between_two_tendons_vibrates_in_space",
            "a_pendulum_rests_on_its_stop",
            "a_point_mass_on_a_rod_swings",
            "a_point_of_a_wheel_is_accelerated_inwards",
            "a_robot_that_presses_a_column_knows_eulers_load",
            "a_rod_shot_swings_as_a_pendulum",
            "a_scaled_model_in_closed_form",
            "a_table_of_a_fall",
            "a_weight_hangs_on_a_spring",
            "compliance_of_a_cantilever",
            "hunt_and_crossley_bounce",
            "jacobian_of_an_arm",
            "peak_force_of_hertz",
            "sine_in_closed_form",
            "two_forces_and_a_moment_bend_a_beam_into_an_arc",
            "units_of_reactions",
        ),
        "unit/test_hinf.py": ("the_worst_case_is_within_the_level_and_no_better_than_the_least",),
        "unit/test_closed_forms_of_control.py": (
            "a_sampled_loop_moves_by_its_recurrence",
            "fmu_of_a_wheel_is_exact",
            "reduced_models_keep_their_static_gain",
            "response_of_a_lead",
        ),
        "unit/test_contact.py": (
            "block_on_an_incline",
            "bouncing_ball_has_its_times_and_heights",
        ),
        "unit/test_controller.py": ("readings_are_rounded_to_whole_steps",),
        "unit/test_dashpot.py": ("body_slows_down_exponentially",),
        "unit/test_interchange.py": ("vtk_speed_is_that_of_a_turning_link",),
        "unit/test_io.py": ("numbers_survive_to_the_last_bit",),
        "unit/test_friction_at_the_edge.py": (
            "a_block_is_held_by_a_level_spring",
            "a_screw_is_wound_up_and_down",
        ),
        "unit/test_joint_friction.py": (
            "a_block_on_an_incline_is_held_or_slides",
            "a_dry_swing_loses_the_same_at_every_turn",
        ),
        "unit/test_joints.py": (
            "prismatic_slides_along_its_turned_axis",
            "simply_supported_link_by_hand",
        ),
        "unit/test_kinetostatics.py": (
            "arm_meets_the_law_of_cosines",
            "strain_is_that_of_the_largest_moment",
        ),
        "unit/test_kinked.py": (
            "a_moment_rolls_a_beam_up",
            "modes_of_pinned_and_clamped_beams",
        ),
        "unit/test_linearise.py": ("sampling_a_double_integrator",),
        "unit/test_lqr.py": (
            "double_integrator",
            "position_weight_alone_gives_a_butterworth_pair",
            "sampled_design_counts_the_cost_between_samples",
        ),
        "unit/test_pursuit.py": (
            "a_row_meets_the_law_of_cosines",
            "a_row_says_where_it_leaves_the_stable_region",
        ),
        "unit/test_modal.py": (
            "damped_oscillator",
            "damping_ratios_follow_rayleigh",
            "modal_mass_and_shape_of_a_cantilever",
            "preload_stiffens_as_a_string",
            "string_frequency_of_a_link_chain_is_its_reactions_stiffness",
        ),
        "unit/test_model_damping.py": ("ratio_holds_at_the_two_frequencies_and_is_exceeded_outside",),
        "unit/test_model_sections.py": (
            "circle_and_tube_without_bore_agree",
            "rectangle",
        ),
        "unit/test_nonlinear.py": ("a_filter_of_a_random_walk_in_closed_form",),
        "unit/test_observe.py": (
            "portal_frame_against_slope_deflection",
            "tip_force_along_a_cantilever",
            "weight_along_a_cantilever",
        ),
        "unit/test_observer.py": (
            "gain_of_placed_poles_in_closed_form",
            "mass_seen_through_its_place",
            "the_promised_variance_is_what_a_run_shows",
        ),
        "unit/test_path.py": (
            "both_sides_of_a_pitchfork_mirror_each_other",
            "truss_snaps_through_at_the_limit_loads_of_its_closed_form",
        ),
        "unit/test_platform.py": ("stiffness_is_elastic_and_geometric",),
        "unit/test_results.py": ("round_trip",),
        "unit/test_shooting.py": ("linear_rod_is_timoshenko_exactly",),
        "unit/test_spatial_beams_in_use.py": ("tapered_rod_twists_as_the_integral_says",),
        "unit/test_spatial_rods_in_motion.py": ("a_cantilever_with_a_heavy_tip_has_its_exact_frequency",),
        "unit/test_spatial_model.py": (
            "axis_is_the_free_axis_of_the_joint_frame",
            "freedom_that_joints_leave",
            "section_of_a_rectangle_in_space",
            "torsion_of_rectangles",
        ),
        "unit/test_statics.py": ("follower_force_bends_as_its_integral_says",),
        "unit/test_tendon.py": (
            "a_damped_tendon_damps_its_mode",
            "a_loop_of_rope_halves_the_load",
            "a_mass_between_two_tendons_vibrates_along_and_across",
            "a_slack_tendon_lets_fall_and_then_catches",
            "a_tendon_along_a_beam_bends_it_like_a_moment",
            "capstan",
            "force_is_exact_however_wide_the_transition",
        ),
        "unit/test_transient.py": (
            "initial_reaction_of_a_spinning_bar_holds_it",
            "second_order_and_closed_joints",
        ),
        "unit/test_udwadia_kalaba.py": (
            "block_slides_down_an_incline_with_coulomb_friction",
            "weightless_rod_falls_like_a_point_mass",
        ),
        "unit/test_urdf.py": (
            "damping_of_a_pin_is_taken",
            "pendulum_swings_as_theory_says",
        ),
    },
    "independent code": {
        "regressions/test_errors_that_grow.py": (
            "a_motion_whose_errors_have_grown_is_not_ok",
            "the_distance_of_two_motions_is_the_error_where_rounding_has_grown",
        ),
        "unit/test_relative.py": ("accelerations_of_random_trees_obey_newton_and_euler",),
        "validation/test_random_mechanisms.py": ("every_row_holds",),
        "regressions/test_ok_means_right.py": ("the_error_stated_is_the_error_made",),
        "unit/test_closed_forms.py": ("a_soft_rod_shot_is_reissners_beam",),
        "validation/test_ancf_cable.py": ("rules_of_integration_differ_and_the_peer_has_them_too",),
        "unit/test_kinked.py": (
            "mass_and_bias_are_those_of_the_positions",
            "strain_energy_and_its_derivatives",
        ),
        "unit/test_predictive.py": (
            "a_plan_with_limits_of_rate_and_outputs_is_that_of_another_solver",
            "a_plan_within_bounds_is_that_of_another_solver",
        ),
        "unit/test_rotations.py": ("quaternions_do_what_those_of_scipy_do",),
        "unit/test_udwadia_kalaba.py": ("rigid_crank_slider_moves_as_in_its_minimal_coordinate",),
        "unit/test_urdf.py": ("turned_inertias_and_nested_frames_against_rotations_of_scipy",),
    },
    "conservation law": {
        "unit/test_joints.py": ("prescribed_motion_is_followed_and_pays_for_itself",),
        "unit/test_momentum_scheme.py": ("momentum_is_kept_to_rounding",),
        "unit/test_spatial_rods_in_motion.py": ("a_rod_that_flies_freely_keeps_its_momentum_and_energy",),
    },
    "other formulation": {
        "regressions/test_stiff_axes.py": ("a_stiff_axis_does_not_stiffen_bending",),
        "unit/test_feed.py": ("shooting_feeds_as_elements_do",),
        "unit/test_relative_paths.py": ("a_drive_of_a_loop_is_followed",),
        "unit/test_kinked.py": ("cantilevers_bend_as_they_should",),
        "unit/test_rods_at_control_rate.py": (
            "fewer_equations_march_to_the_same_end",
            "rods_abreast_march_as_they_do_alone",
        ),
        "unit/test_shooting.py": ("agrees_with_elements_of_high_order",),
    },
    "itself": {
        "unit/test_shooting.py": ("order_of_space_marching",),
    },
}
REFERENCES = {
    f"{file}::test_{name}": kind for kind, files in BY_KIND.items() for file, names in files.items() for name in names
}
